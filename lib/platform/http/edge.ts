import { createHash, timingSafeEqual } from 'node:crypto'
import { config } from '../../base/config.ts'

/**
 * The edge (CloudFront) stands before the gateway where a stage has one. It proves itself by a secret header, which it sets over whatever
 * the client sent. Only then does the service believe the address of the caller that the edge sends.
 */
const PROOF = 'x-edge-secret'
const CALLER = 'cloudfront-viewer-address'

type Headers = Readonly<Record<string, string>>

/** Whether a request came through the edge. Always true where the stage has none. */
export const isFromEdge = (headers: Headers): boolean =>
  config.EDGE_SECRET.length === 0 || config.EDGE_SECRET.some((secret) => isSame(secret, headers[PROOF] ?? ''))

/** Compares in a time that does not depend on where two texts differ. */
const isSame = (one: string, other: string): boolean => timingSafeEqual(digest(one), digest(other))
const digest = (text: string) => createHash('sha256').update(text).digest()

/**
 * The address of the caller. The edge sends it with a port, such as `198.51.100.10:46532`, and the port is cut off. Without an edge, the
 * event of the gateway gives the address.
 */
export function callerAddress(headers: Headers, sourceIp: string): string {
  const told = headers[CALLER]
  if (config.EDGE_SECRET.length === 0 || told === undefined || !isFromEdge(headers)) return sourceIp
  return told.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1')
}
