/** What a piece of work answers, how long it took, and the resident memory in bytes before it and at most, garbage collected beforehand. */
export async function watched<T>(
  work: () => Promise<T>,
): Promise<{ value: T; ms: number; idle: number; peak: number }> {
  global.gc?.()
  await new Promise((done) => setTimeout(done, 200))
  const idle = process.memoryUsage.rss()
  let peak = idle
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss())
  }
  const watch = setInterval(look, 2)
  const began = performance.now()
  const value = await work()
  const ms = performance.now() - began
  clearInterval(watch)
  look()
  return { value, ms, idle, peak }
}
