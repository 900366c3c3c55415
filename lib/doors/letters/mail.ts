import { SESv2Client, SendEmailCommand } from '@aws-sdk/client-sesv2'
import { config } from '../../base/config.ts'
import { localCredentials } from '../../base/telemetry/local-credentials.ts'

/** The client of SES. SES cannot tell a repeated letter from a new one, so the client makes one attempt for each call. */
// prove: mail-client
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

/** `refused`: the letter was not sent, so it may be sent again. `unknown`: it may have been sent. */
export type SendFailure = 'refused' | 'unknown'

/** Gives a letter to SES. Returns undefined if SES has taken it. */
export async function sendMail({ to, subject, text, headers }: Mail): Promise<SendFailure | undefined> {
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

/** A text on one line, so that it cannot begin another header. */
const oneLine = (text: string) => text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ').trim()

/** A status of 4xx and a failed connection are refusals. */
function failureOf(error: unknown): SendFailure {
  const { $metadata, code }: { $metadata?: { httpStatusCode?: number }; code?: string } = Object(error)
  const status = $metadata?.httpStatusCode ?? 0
  if (status >= 400 && status < 500) return 'refused'
  return connectionErrors.includes(code ?? '') ? 'refused' : 'unknown'
}

const connectionErrors: readonly string[] = ['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH']
