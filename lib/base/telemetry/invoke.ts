import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { config } from '../config.ts'

// prove: lambda-client
const client = new LambdaClient({
  region: config.AWS_REGION,
  maxAttempts: 2,
  ...(config.LAMBDA_ENDPOINT && {
    endpoint: config.LAMBDA_ENDPOINT,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  }),
})

/** Calls another function of the service and returns its answer. Fails if it failed, or could not be called. */
export async function invokeFunction(FunctionName: string, event: object): Promise<unknown> {
  const { Payload, FunctionError } = await client.send(
    new InvokeCommand({ FunctionName, Payload: Buffer.from(JSON.stringify(event)) }),
  )
  if (FunctionError) throw new Error(`${FunctionName} failed: ${FunctionError}`)
  return Payload && Payload.length > 0 ? JSON.parse(Buffer.from(Payload).toString()) : undefined
}

/**
 * Hands an event to another function and does not wait for it. Lambda keeps the event and repeats a failed call: see `maximumRetryAttempts`
 * in `serverless.yml`.
 */
export async function invokeLater(FunctionName: string, event: object): Promise<void> {
  await client.send(
    new InvokeCommand({ FunctionName, InvocationType: 'Event', Payload: Buffer.from(JSON.stringify(event)) }),
  )
}

/**
 * The name of another function of the same stage. Example: `heritage-prod-a` with `a` and `b` gives `heritage-prod-b`.
 */
export const siblingFunction = (own: string, self: string, other: string): string =>
  own.endsWith(`-${self}`) ? `${own.slice(0, -self.length)}${other}` : other

/**
 * The alias by which a function was called, as a suffix of names: `:live`. Empty where it was called by its name alone. So a function calls
 * the release that it is part of.
 */
export const calledAlias = (arn: string | undefined): string => {
  const alias = arn?.split(':')[7]
  return alias === undefined ? '' : `:${alias}`
}
