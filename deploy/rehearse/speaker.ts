type Sent = { body?: unknown; headers?: { [name: string]: string } }
export type Answer = {
  status: number
  id: string | null
  location: string
  /** `Retry-After`, in seconds; NaN without it. */
  wait: number
  /** The origin whose pages may read the answer. */
  allowed: string | null
  text: string
  body: Facts
}
type Facts = { readonly [name: string]: unknown }
export type Speaker = (method: string, path: string, body?: unknown) => Promise<Answer>

/** Sends a request. A form is sent as it is, any other body as JSON. Redirects are not followed. */
export async function ask(
  origin: string,
  method: string,
  path: string,
  { body, headers = {} }: Sent = {},
): Promise<Answer> {
  const isForm = body instanceof FormData
  const response = await fetch(`${origin}${path}`, {
    method,
    redirect: 'manual',
    headers: { ...headers, ...(body !== undefined && !isForm && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
  })
  const text = await response.text()
  const isJson = response.headers.get('content-type')?.includes('json')
  return {
    status: response.status,
    id: response.headers.get('x-request-id'),
    location: response.headers.get('location') ?? '',
    wait: Number(response.headers.get('retry-after') ?? Number.NaN),
    allowed: response.headers.get('access-control-allow-origin'),
    text,
    body: isJson && text ? JSON.parse(text) : {},
  }
}

/** Signs in as a seeded user. Returns a function that sends requests as that user. */
export async function signedIn(origin: string, username: string): Promise<Speaker> {
  const { body } = good(await ask(origin, 'POST', '/api/token/', { body: { username, password: 'heritage-local' } }))
  const headers = { authorization: `Bearer ${body.access}` }
  return (method, path, sent) => ask(origin, method, path, { headers, ...(sent !== undefined && { body: sent }) })
}

/** Returns the answer, or throws if its status is 300 or above. */
export function good(answer: Answer): Answer {
  if (answer.status >= 300) throw new Error(`${answer.status} ${answer.text.slice(0, 200)}`)
  return answer
}

/** Fails unless the answer has this status. */
export function expectStatus({ status, text }: Answer, wanted: number): void {
  if (status !== wanted) throw new Error(`${status} instead of ${wanted}: ${text.slice(0, 200)}`)
}

/** A form with these members. */
export function formOf(members: Readonly<Record<string, string | File>>): FormData {
  const form = new FormData()
  for (const [name, value] of Object.entries(members)) form.set(name, value)
  return form
}
