import { mkdir } from 'node:fs/promises'
import S3rver from '@20minutes/s3rver'

export type FileServer = { endpoint: string; stop: () => Promise<void> }

/** Starts the S3 server on the loopback interface, with this bucket, keeping its objects under `directory`. */
export async function startS3(where: { port: number; directory: string; bucket: string }): Promise<FileServer> {
  await mkdir(where.directory, { recursive: true })
  const server = new S3rver({
    address: '127.0.0.1',
    port: where.port,
    directory: where.directory,
    silent: true,
    // The server computes some signatures wrongly; ours are checked by AWS alone.
    allowMismatchedSignatures: true,
    vhostBuckets: false,
  })
  await server.store.putBucket(where.bucket)
  const { port } = await server.run()
  return {
    endpoint: `http://127.0.0.1:${port}`,
    stop: async () => {
      const closed = server.close()
      server.httpServer.closeAllConnections()
      await closed
    },
  }
}
