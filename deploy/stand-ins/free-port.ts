import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

/** Ports that were returned already. No port is returned twice. */
const usedPorts = new Set<number>()

/** Returns a port that nobody listens on. It is below 32768, so Linux gives it to no other process meanwhile. */
export async function freePort(): Promise<number> {
  const port = randomInt(10_000, 32_768)
  if (usedPorts.has(port) || !(await canListen(port))) return freePort()
  usedPorts.add(port)
  return port
}

/** Whether a port of the loopback interface is free. */
export function canListen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const server = createServer().once('error', () => resolve(false))
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)))
  })
}
