import { createHmac } from 'node:crypto'
import { lookup } from 'node:dns'
import { request as plainly } from 'node:http'
import { request as securely } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { config } from '../config.ts'

export type Message = { id: string; event: string; body: string }

/** So long a receiver may take for everything: the name, the connection, the answer. */
const PATIENCE = 5000

/** With what messages are signed, and whether only public addresses are connected to. */
export type Terms = { secret: string; guarded: boolean }
/** Those of the review webhook, whose address operators set: it may be a private one in the local and dev stages. */
const ownTerms = (): Terms => ({ secret: config.WEBHOOK_SECRET, guarded: config.secure })

/**
 * Sends a message to a receiver. Fails unless the answer is a success; redirects are not followed. Where it is guarded
 * only public addresses are connected to: the very address that was looked at, whatever the name means a moment later.
 */
export function send(
  url: string,
  { id, event, body }: Message,
  { secret, guarded }: Terms = ownTerms(),
): Promise<void> {
  const at = new URL(url)
  if (guarded && at.protocol !== 'https:') return Promise.reject(new Error('not https'))
  if (guarded && isPrivateLiteral(at)) return Promise.reject(new Error('not a public address'))
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'heritage-webhook/1',
    'x-event': event,
    // The same for every attempt, so that a receiver who has it already can tell.
    'x-delivery-id': id,
    ...(secret && { 'x-signature': signatureOf(body, secret) }),
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const sent = (at.protocol === 'https:' ? securely : plainly)(at, {
    method: 'POST',
    headers,
    agent: false,
    signal: AbortSignal.timeout(PATIENCE),
    ...(guarded && { lookup: publicOnly }),
  })
  sent.once('response', (response) => {
    const status = response.statusCode ?? 0
    response.destroy()
    if (status >= 200 && status < 300) resolve()
    else reject(new Error(`answered ${status}`))
  })
  sent.once('error', reject)
  sent.end(body)
  return promise
}

/** What receivers compare: the HMAC of the exact bytes of the body. */
const signatureOf = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

const isPrivateLiteral = ({ hostname }: URL): boolean => {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) !== 0 && !isPublic(host)
}

/** Whether an address is on the public internet, as far as its name says so now; one whose name is not known is not. */
export function isPublicUrl(url: URL): Promise<boolean> {
  if (isPrivateLiteral(url)) return Promise.resolve(false)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  publicOnly(url.hostname.replace(/^\[|\]$/g, ''), {}, (error) => resolve(error === null))
  return promise
}

/** Looks a name up for a connection, and fails where any address of it is not public. */
export const publicOnly: LookupFunction = (name, options, done) =>
  lookup(name, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '')
    const [first] = addresses
    if (!first || addresses.some(({ address }) => !isPublic(address)))
      return done(Object.assign(new Error('not a public address'), { code: 'EPRIVATE' }), '')
    if (options.all) return done(null, addresses)
    return done(null, first.address, first.family)
  })

const closed = new BlockList()
for (const [net, bits] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const)
  closed.addSubnet(net, bits, 'ipv4')
// Addresses that stand for others, or for examples, in the one block that is public at all.
const open6 = new BlockList()
open6.addSubnet('2000::', 3, 'ipv6')
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  closed.addSubnet(net, bits, 'ipv6')

/** Whether an address is one of the public internet. */
export function isPublic(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !closed.check(address, 'ipv4')
  return family === 6 && open6.check(address, 'ipv6') && !closed.check(address, 'ipv6')
}
