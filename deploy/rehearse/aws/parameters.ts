import type { ServerResponse } from 'node:http'
import { type AccessRecord, deniedTarget, type Roles, refusal } from '../../access/judge.ts'
import { needsOfTarget, signerOfRequest } from '../../access/requests.ts'
import { listen, readBody } from '../../stand-ins/listening.ts'

export type ParameterStore = { endpoint: string; throttled: () => number; stop: () => Promise<void> }

/**
 * Stands in for the parameter store, with the values of `parameterAt`. Every third call is throttled (HTTP 400): the real store does so
 * when all functions of a deployment start at once.
 */
export async function startParameters(
  roles: Roles,
  record: AccessRecord,
  parameterAt: (name: string) => string | undefined,
): Promise<ParameterStore> {
  let calls = 0
  let throttled = 0
  const say = (response: ServerResponse, status: number, body: object) =>
    void response.writeHead(status, { 'content-type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body))
  const { port, stop } = await listen(async (request, response) => {
    const body = (await readBody(request)).toString()
    const headers = {
      authorization: request.headers.authorization,
      'x-amz-target': [request.headers['x-amz-target']].flat()[0],
    }
    const asked = { method: 'POST', path: '/', query: {}, headers, body }
    const signer = signerOfRequest(asked)
    const refused = refusal(roles, signer, needsOfTarget(asked), record)
    if (refused) return say(response, 400, JSON.parse(deniedTarget(signer, refused).body))
    calls += 1
    if (calls % 3 === 1) {
      throttled += 1
      return say(response, 400, { __type: 'ThrottlingException', message: 'Rate exceeded' })
    }
    const { Names }: { Names: string[] } = JSON.parse(body)
    const known = Names.flatMap((Name) => {
      const Value = parameterAt(Name)
      return Value === undefined ? [] : [{ Name, Type: 'SecureString', Value }]
    })
    say(response, 200, { Parameters: known, InvalidParameters: Names.filter((it) => parameterAt(it) === undefined) })
  })
  return { endpoint: `http://127.0.0.1:${port}`, throttled: () => throttled, stop }
}
