/** Stands for `node:timers/promises` in simulated processes: what is waited for is simulated time. */
export const setTimeout = <T>(milliseconds: number, value?: T): Promise<T | undefined> =>
  new Promise((done) => globalThis.setTimeout(() => done(value), milliseconds))
