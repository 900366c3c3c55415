import * as v from 'valibot'
import { escapeHtml } from '../../lib/base/text.ts'
import { type AccessRecord, deniedCall, type Roles, refusal } from '../access/judge.ts'
import { ACCOUNT, REGION, signerOfRequest } from '../access/requests.ts'
import { listen, readBody } from './listening.ts'

/** A letter as the mail service got it. */
export type Caught = {
  from: string
  to: string
  subject: string
  text: string
  headers: [string, string][]
  at: string
}

/** What happens to a letter: it is taken, refused with a status, or taken without an answer (`lost`). */
export type Fate = 'taken' | { status: number; error: string } | 'lost'
export type MailCatcher = { endpoint: string; caught: readonly Caught[]; stop: () => Promise<void> }

type Settings = {
  port?: number
  /** The verified sender: a domain, or an address. */
  identity: string
  access: { roles: () => Roles; record: AccessRecord }
  fate?: (letter: Caught) => Fate
}

/**
 * Stands in for SendEmail of SES, version 2. It takes letters from functions whose role allows it, and shows them on a
 * page instead of sending them. It refuses what SES refuses: other senders, several addresses in one, headers of several
 * lines.
 */
export async function startMailCatcher({
  port = 0,
  identity,
  access,
  fate = () => 'taken',
}: Settings): Promise<MailCatcher> {
  const caught: Caught[] = []
  const listening = await listen(async (request, response) => {
    const say = (status: number, body: object, error?: string) =>
      void response
        .writeHead(status, { 'content-type': 'application/json', ...(error && { 'x-amzn-errortype': error }) })
        .end(JSON.stringify(body))
    const path = request.url ?? '/'
    if (request.method === 'GET') return void answerPage(path, caught, response)
    if (path !== '/v2/email/outbound-emails') return say(404, { message: 'no such operation' }, 'NotFoundException')
    const body = (await readBody(request)).toString()
    const signer = signerOfRequest({ headers: { authorization: request.headers.authorization }, query: {} })
    const need = { action: 'ses:SendEmail', resource: `arn:aws:ses:${REGION}:${ACCOUNT}:identity/${identity}` }
    const refused = refusal(access.roles(), signer, [need], access.record)
    if (refused) return say(403, JSON.parse(deniedCall(signer, refused).body), 'AccessDeniedException')
    const letter = letterIn(body)
    const fault = typeof letter === 'string' ? letter : faultOf(letter, identity)
    if (fault !== undefined || typeof letter === 'string') return say(400, { message: fault }, 'BadRequestException')
    const end = fate(letter)
    if (typeof end === 'object') return say(end.status, { message: end.error }, end.error)
    caught.push(letter)
    if (end === 'lost') return void response.destroy()
    say(200, { MessageId: `caught-${caught.length}` })
  }, port)
  return { endpoint: `http://127.0.0.1:${listening.port}`, caught, stop: listening.stop }
}

const Part = v.object({ Data: v.string() })
const Sent = v.object({
  FromEmailAddress: v.string(),
  Destination: v.object({ ToAddresses: v.tuple([v.string()]) }),
  Content: v.object({
    Simple: v.object({
      Subject: Part,
      Body: v.object({ Text: Part }),
      Headers: v.optional(v.array(v.object({ Name: v.string(), Value: v.string() })), []),
    }),
  }),
})

function letterIn(body: string): Caught | string {
  const sent = v.safeParse(Sent, JSON.parse(body))
  if (!sent.success) return sent.issues.map(({ message }) => message).join('; ')
  const { FromEmailAddress: from, Destination, Content } = sent.output
  const { Subject, Body, Headers } = Content.Simple
  return {
    from,
    to: Destination.ToAddresses[0],
    subject: Subject.Data,
    text: Body.Text.Data,
    headers: Headers.map(({ Name, Value }) => [Name, Value]),
    at: new Date().toISOString(),
  }
}

/** Why SES would refuse a letter. Undefined if it would take it. */
function faultOf({ from, to, subject, headers }: Caught, identity: string): string | undefined {
  const sender = /<([^<>]+)>$/.exec(from)?.[1] ?? from
  if (sender !== identity && !sender.endsWith(`@${identity}`)) return `Email address is not verified: ${sender}`
  if (!/^[^\s<>,;:"@]+@[^\s<>,;:"@]+$/.test(to)) return 'Illegal address'
  if (/[\r\n]/.test(subject)) return 'Control or non-ASCII character in a header'
  const bad = headers.find(([name, value]) => !/^[!-9;-~]{1,126}$/.test(name) || !/^[ -~]{1,870}$/.test(value))
  return bad && `Invalid header ${bad[0]}`
}

type Response = Parameters<Parameters<typeof listen>[0]>[1]

function answerPage(path: string, caught: readonly Caught[], response: Response): void {
  if (path === '/letters.json')
    return void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(caught))
  const letters = caught.map(letterView).reverse().join('\n')
  const policy = { 'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'" }
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', ...policy }).end(`<!doctype html>
<meta charset="utf-8"><title>Letters</title>
<style>body{font:1rem/1.5 system-ui,sans-serif;max-width:48rem;margin:2rem auto;padding:0 1rem}pre{white-space:pre-wrap;font:inherit}article{border:1px solid #999;padding:0 1rem;margin:1rem 0}small{color:#555}</style>
<h1>Letters that were sent (${caught.length})</h1>
${letters || '<p>None yet.</p>'}
`)
}

const letterView = ({ from, to, subject, text, headers, at }: Caught): string => {
  const shown = headers.map(([name, value]) => `<br><small>${escapeHtml(`${name}: ${value}`)}</small>`).join('')
  const linked = escapeHtml(text).replace(/https?:\/\/[^\s]+/g, (link) => `<a href="${link}">${link}</a>`)
  return `<article><p><b>${escapeHtml(subject)}</b><br><small>${escapeHtml(`${at}, from ${from} to ${to}`)}</small>${shown}</p><pre>${linked}</pre></article>`
}
