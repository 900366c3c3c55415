import { createHmac } from 'node:crypto'
import { lookup } from 'node:dns'
import { request as requestByHttp } from 'node:http'
import { request as requestByHttps } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import { config } from '../../base/config.ts'

export type WebhookMessage = { id: string; event: string; body: string }

/** Milliseconds for one attempt: name lookup, connection and answer. */
const ATTEMPT_MS = 5000

/** The key that signs messages. `guarded`: only HTTPS, and only to public addresses. */
export type SendingTerms = { secret: string; guarded: boolean }
/** The terms of the review webhook. Operators set its address, so in the stages `local` and `dev` it may be a private one. */
const reviewWebhookTerms = (): SendingTerms => ({ secret: config.WEBHOOK_SECRET, guarded: config.secure })

/**
 * Sends a message by POST. Fails unless the status is 2xx; redirects are not followed. If `guarded`, it connects to the very address
 * that was checked, so a host name that changes its address a moment later cannot redirect it.
 */
export function sendMessage(
  url: string,
  { id, event, body }: WebhookMessage,
  { secret, guarded }: SendingTerms = reviewWebhookTerms(),
): Promise<void> {
  const at = new URL(url)
  if (guarded && at.protocol !== 'https:') return Promise.reject(new Error('not https'))
  if (guarded && isPrivateLiteral(at)) return Promise.reject(new Error('not a public address'))
  const headers = {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(body)),
    'user-agent': 'heritage-webhook/1',
    'x-event': event,
    // The same at every attempt, so a receiver can ignore a message that it has received before.
    'x-delivery-id': id,
    ...(secret && { 'x-signature': signatureOf(body, secret) }),
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const request = (at.protocol === 'https:' ? requestByHttps : requestByHttp)(at, {
    method: 'POST',
    headers,
    agent: false,
    signal: AbortSignal.timeout(ATTEMPT_MS),
    ...(guarded && { lookup: publicOnly }),
  })
  request.once('response', (response) => {
    const status = response.statusCode ?? 0
    response.destroy()
    if (status >= 200 && status < 300) resolve()
    else reject(new Error(`answered ${status}`))
  })
  request.once('error', reject)
  request.end(body)
  return promise
}

/** The signature that receivers check: HMAC-SHA256 of the exact bytes of the body. */
const signatureOf = (body: string, secret: string): string =>
  `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`

const isPrivateLiteral = ({ hostname }: URL): boolean => {
  const host = hostname.replace(/^\[|\]$/g, '')
  return isIP(host) !== 0 && !isPublic(host)
}

/** Whether a URL leads to the public internet, as DNS answers now. An unknown name does not. */
export function isPublicUrl(url: URL): Promise<boolean> {
  if (isPrivateLiteral(url)) return Promise.resolve(false)
  const { promise, resolve } = Promise.withResolvers<boolean>()
  publicOnly(url.hostname.replace(/^\[|\]$/g, ''), {}, (error) => resolve(error === null))
  return promise
}

/** Looks up a name for a connection. Fails if any of its addresses is not public. */
export const publicOnly: LookupFunction = (name, options, done) =>
  lookup(name, { ...options, all: true }, (error, addresses) => {
    if (error) return done(error, '')
    const [first] = addresses
    if (!first || addresses.some(({ address }) => !isPublic(address)))
      return done(Object.assign(new Error('not a public address'), { code: 'EPRIVATE' }), '')
    if (options.all) return done(null, addresses)
    return done(null, first.address, first.family)
  })

const privateBlocks = new BlockList()
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
  privateBlocks.addSubnet(net, bits, 'ipv4')
// IPv6: only 2000::/3 is public, without its blocks for tunnels, for documentation and for special use.
const publicIpv6 = new BlockList()
publicIpv6.addSubnet('2000::', 3, 'ipv6')
for (const [net, bits] of [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const)
  privateBlocks.addSubnet(net, bits, 'ipv6')

/** Whether an IP address belongs to the public internet. */
export function isPublic(address: string): boolean {
  const family = isIP(address)
  if (family === 4) return !privateBlocks.check(address, 'ipv4')
  return family === 6 && publicIpv6.check(address, 'ipv6') && !privateBlocks.check(address, 'ipv6')
}
