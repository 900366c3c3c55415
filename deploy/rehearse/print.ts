import type { Roles } from '../access/judge.ts'
import type { RightsReport } from './report.ts'

/** The first resource on which a role allows an action, as its policy writes it. */
export const placesOf = (roles: Roles, name: string, action: string): string =>
  roles.get(name)?.find((it) => it.Action.includes(action))?.Resource[0] ?? ''

type Outcome = {
  rights: RightsReport
  failed: readonly string[]
  errors: readonly string[]
  throttled: number
  letters: ReadonlyMap<string, number>
}

/** Prints what the rehearsal found. Returns the exit code. A short rehearsal says nothing of unused rights. */
export function print({ rights, failed, errors, throttled, letters }: Outcome, isShort: boolean): number {
  const { used, unused, denied } = rights
  list('Denied', denied)
  if (!isShort) list('Unused', unused)
  list('Failed', failed)
  list('Said by functions', [...new Set(errors)].slice(0, 40))
  console.log(`\n  rights used ${used}, unused ${unused.length}; denials ${denied.length}`)
  console.log(
    `  calls throttled by the parameter store ${throttled}; letters ${[...letters].map(([queue, n]) => `${n} of ${queue}`).join(', ') || 'none'}`,
  )
  return denied.length + failed.length + (isShort ? 0 : unused.length) > 0 ? 1 : 0
}

function list(title: string, lines: readonly string[]): void {
  if (lines.length === 0) return
  console.log(`\n${title}:`)
  for (const line of [...lines].sort())
    console.log(`  ${line.replaceAll(/arn:aws:(dynamodb|s3|sqs|ssm|logs):[^:]*:[^:]*:/g, '')}`)
}
