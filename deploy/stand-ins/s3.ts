import { mkdir } from 'node:fs/promises'
import S3rver from '@20minutes/s3rver'
import { bucketGate } from '../access/bucket-gate.ts'
import type { AccessRecord, Roles } from '../access/judge.ts'

export type FileServer = { endpoint: string; stop: () => Promise<void> }

type Where = {
  port: number
  directory: string
  bucket: string
  origins?: readonly string[]
  /** What functions may do with the bucket, and the record of what they do. */
  access?: { roles: (bucket: string) => Roles; record: AccessRecord }
}

/**
 * Starts the S3 server on the loopback interface, with this bucket and its objects under `directory`. Browsers of
 * `origins` may post to it and read from it. With `access`, functions may do only what their roles allow.
 */
export async function startS3(where: Where): Promise<FileServer> {
  await mkdir(where.directory, { recursive: true })
  const server = new S3rver({
    address: '127.0.0.1',
    port: where.port,
    directory: where.directory,
    silent: true,
    // The server computes some signatures wrongly. Only AWS checks ours.
    allowMismatchedSignatures: true,
    vhostBuckets: false,
    configureBuckets: [{ name: where.bucket, configs: where.origins ? [cors(where.origins)] : [] }],
  })
  if (where.access) server.middleware.unshift(bucketGate(where.access.roles, where.access.record))
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

const cors = (origins: readonly string[]) => {
  const named = origins.map((origin) => `<AllowedOrigin>${origin}</AllowedOrigin>`).join('')
  const may = ['GET', 'HEAD', 'POST'].map((method) => `<AllowedMethod>${method}</AllowedMethod>`).join('')
  const rule = `<CORSRule>${named}${may}<AllowedHeader>*</AllowedHeader><ExposeHeader>ETag</ExposeHeader></CORSRule>`
  return `<CORSConfiguration>${rule}</CORSConfiguration>`
}
