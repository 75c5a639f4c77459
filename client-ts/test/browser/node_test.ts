// What the tests use of "node:test", for a page: the tests are collected, and run one after the other.
type Work = () => unknown;

/** A test that is over; `error` is null where it passed. */
export interface Result {
  name: string;
  error: string | null;
}

const tests: { name: string; work: Work }[] = [];
const first: Work[] = [];
const last: Work[] = [];

export const before = (work: Work): unknown => first.push(work);
export const after = (work: Work): unknown => last.push(work);
export const test = (name: string, work: Work): unknown => tests.push({ name, work });

export async function run(): Promise<Result[]> {
  const results: Result[] = [];
  for (const work of first) await work();
  for (const { name, work } of tests) {
    try {
      await work();
      results.push({ name, error: null });
    } catch (error) {
      results.push({ name, error: error instanceof Error ? `${error.message}\n${error.stack}` : String(error) });
    }
  }
  for (const work of last) await work();
  return results;
}
