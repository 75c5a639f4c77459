// What the tests use of "node:assert/strict", for a page.
type Kind = (abstract new (...words: never[]) => Error) | RegExp | ((error: unknown) => boolean);

class AssertionError extends Error {}

function fail(what: string, ...values: unknown[]): never {
  throw new AssertionError([what, ...values.map((one) => JSON.stringify(one) ?? String(one))].join(" · "));
}

function isAlike(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other || Array.isArray(one) !== Array.isArray(other)) return false;
  const [names, others] = [Object.keys(one), Object.keys(other)];
  return names.length === others.length && names.every((name) => name in other && isAlike(one[name as never], other[name as never]));
}

function check(error: unknown, kind: Kind): void {
  if (kind instanceof RegExp) {
    if (!kind.test(String(error))) fail("the error is another", String(error), String(kind));
  } else if (kind === Error || kind.prototype instanceof Error) {
    if (!(error instanceof (kind as new () => Error))) fail("the error is of another kind", String(error), kind.name);
  } else if (!(kind as (error: unknown) => boolean)(error)) {
    fail("the error is another", String(error));
  }
}

const assert = {
  ok: (value: unknown) => value || fail("not true", value),
  equal: (value: unknown, wanted: unknown) => Object.is(value, wanted) || fail("not equal", value, wanted),
  deepEqual: (value: unknown, wanted: unknown) => isAlike(value, wanted) || fail("not alike", value, wanted),
  match: (text: string, pattern: RegExp) => pattern.test(text) || fail("does not match", text, String(pattern)),
  doesNotMatch: (text: string, pattern: RegExp) => !pattern.test(text) || fail("matches", text, String(pattern)),
  throws(work: () => unknown, kind: Kind) {
    try {
      work();
    } catch (error) {
      return check(error, kind);
    }
    fail("nothing was thrown");
  },
  async rejects(promise: Promise<unknown>, kind: Kind) {
    const error = await promise.then(() => fail("nothing was rejected"), (error: unknown) => error);
    check(error, kind);
  },
};
export default assert;
