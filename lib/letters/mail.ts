import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { config } from '../config.ts'
import { localCredentials } from '../ops/local-credentials.ts'

/**
 * Mail by the Simple Email Service, which makes the message of these parts. It has no way to tell that it was given a letter
 * before, so there is one attempt for each call.
 */
const client = new SESv2Client({
  region: config.AWS_REGION,
  maxAttempts: 1,
  requestHandler: { connectionTimeout: 2000, requestTimeout: 8000, throwOnRequestTimeout: true },
  ...(config.SES_ENDPOINT && { endpoint: config.SES_ENDPOINT, credentials: localCredentials }),
})

export type Mail = {
  to: string
  subject: string
  text: string
  headers: Readonly<Record<string, string>>
}

/** Whether a letter that was not taken may be sent again: it certainly was not, or nobody can tell. */
export type Failure = 'refused' | 'unknown'

/** Gives a letter to the service; undefined when it has taken it. */
export async function sendMail({ to, subject, text, headers }: Mail): Promise<Failure | undefined> {
  const part = (Data: string) => ({ Data, Charset: 'UTF-8' })
  const message = new SendEmailCommand({
    FromEmailAddress: config.LETTERS_SENDER,
    Destination: { ToAddresses: [to] },
    Content: {
      Simple: {
        Subject: part(oneLine(subject)),
        Body: { Text: part(text) },
        Headers: Object.entries(headers).map(([Name, Value]) => ({ Name, Value: oneLine(Value) })),
      },
    },
  })
  try {
    await client.send(message)
    return undefined
  } catch (error) {
    return failureOf(error)
  }
}

/** A text that cannot begin another header: whatever breaks lines is a blank. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()

/** A refusal says so with a status of the caller's, and a connection that was never made carried nothing. */
function failureOf(error: unknown): Failure {
  const { $metadata, code }: { $metadata?: { httpStatusCode?: number }; code?: string } = Object(error)
  const status = $metadata?.httpStatusCode ?? 0
  if (status >= 400 && status < 500) return 'refused'
  return unconnected.includes(code ?? '') ? 'refused' : 'unknown'
}

const unconnected: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']
