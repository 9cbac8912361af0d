// Finds what the stack in this directory has started.

import { execFileSync } from 'node:child_process';
import { Redis } from './redis.mjs';

export const ifNotSeeded =
  'not as seeded: if an earlier run has written to this copy, bring all of them back: terraform apply -var reset=$(date +%s)';

// Connects a test to the copy of that name, one of var.copies, for as long as the test runs.
export async function connect(t, name) {
  uris ??= readURIs();
  if (!uris[name]) throw new Error(`the stack has no copy "${name}": add it to the variable copies, and run terraform apply`);
  const redis = await Redis.connect(uris[name]).catch((cause) => {
    throw new Error(`the copy "${name}" does not answer: ${cause.message}; terraform apply starts what does not run`, { cause });
  });
  t.after(() => redis.close());
  return redis;
}

let uris; // by name: Terraform is asked once, whatever the number of tests

function readURIs() {
  const outputs = execFileSync(process.env.TERRAFORM || 'terraform', ['output', '-json'], { cwd: new URL('.', import.meta.url) });
  const value = JSON.parse(outputs).uris?.value;
  if (!value) throw new Error('the stack is not applied: run terraform apply in this directory, then node --test');
  return value;
}
