/**
 * Runs in the process of one function. It loads the package and answers one event after the other, as Lambda's runtime does.
 * processes.ts starts it, with the function's own variables and nothing else.
 */
const [, , file = '', name = ''] = process.argv

type Call = { id: number; event: object; arn: string; until: number }
type Handler = (event: object, context: object) => Promise<unknown>

const answer = (message: object) => process.send?.(message)

try {
  const { handler }: { handler: Handler } = await import(file)
  process.on('message', ({ id, event, arn, until }: Call) => {
    const context = {
      functionName: name,
      functionVersion: '$LATEST',
      invokedFunctionArn: arn,
      awsRequestId: crypto.randomUUID(),
      getRemainingTimeInMillis: () => until - Date.now(),
    }
    handler(event, context).then(
      (result) => answer({ id, result: result ?? null }),
      (error: unknown) => answer({ id, error: String(error instanceof Error ? (error.stack ?? error) : error) }),
    )
  })
  answer({ ready: true })
} catch (error) {
  answer({ broken: String(error) })
}
