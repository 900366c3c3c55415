declare module '@20minutes/s3rver' {
  import type { Server } from 'node:http'
  import type { AddressInfo } from 'node:net'
  import type { Middleware } from '../access/bucket-gate.ts'

  export default class S3rver {
    constructor(options: {
      address: string
      port: number
      directory: string
      silent: boolean
      allowMismatchedSignatures: boolean
      vhostBuckets: boolean
      configureBuckets: readonly { name: string; configs: readonly string[] }[]
    })
    readonly httpServer: Server
    readonly middleware: Middleware[]
    run(): Promise<AddressInfo>
    close(): Promise<void>
  }
}
