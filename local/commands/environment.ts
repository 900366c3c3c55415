import { randomBytes } from 'node:crypto'
import { loadStack } from '../../deploy/stack.ts'
import { isStage } from '../../deploy/stages.ts'

/**
 * Sets the environment of a command that works on a table, before it imports the service. Without TABLE_NAME it is that of the local
 * service. With it, settings that only requests need get values of their own: no key of a stage signs anything here. The stage is the last
 * part of the table's name, or else prod.
 */
export function nameTable(environment: NodeJS.ProcessEnv = process.env): void {
  if (!environment.TABLE_NAME) {
    Object.assign(environment, loadStack().environment)
    return
  }
  const stage = environment.TABLE_NAME.split('-').at(-1) ?? ''
  environment.STAGE ||= isStage(stage) || stage === 'local' ? stage : 'prod'
  environment.SECRET_KEY ||= randomBytes(48).toString('base64')
  environment.ALLOWED_HOSTS ||= 'command.invalid'
}

/** Fails with a sentence unless a bucket is named. For commands that need one. */
export function requireBucket({ BUCKET_NAME }: NodeJS.ProcessEnv = process.env): void {
  if (!BUCKET_NAME) throw new Error('BUCKET_NAME is missing: name the bucket that belongs to the table.')
}
