import { createServer } from 'node:http'

/** Stands in for the receiver of the review webhook if none is set. It prints what it gets. */
export async function startReceiver(): Promise<{ url: string; stop: () => Promise<void> }> {
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { 'x-event': event, 'x-delivery-id': delivery, 'x-signature': signature } = request.headers
      console.log(
        `Review webhook: ${event} ${Buffer.concat(chunks)} (delivery ${delivery}, ${signature ?? 'unsigned'})`,
      )
      response.writeHead(204).end()
    })
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/review`,
    stop: async () => {
      server.closeAllConnections()
      await new Promise((done) => server.close(done))
    },
  }
}
