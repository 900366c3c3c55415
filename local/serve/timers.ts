/** A function that comes by without being asked: how many seconds lie between two visits, and what it is given. */
export type Timed = { name: string; seconds: number; event?: object }

/** As a deployment has them (`serverless.yml`), but for the seconds: here nobody pays for a visit. */
export const timers: readonly Timed[] = [
  { name: 'webhooks', seconds: 20 },
  { name: 'letters', seconds: 60 },
  { name: 'merger', seconds: 15 },
  { name: 'importer', seconds: 15 },
  { name: 'sweeper', seconds: 60, event: { chores: 'often' } },
  { name: 'sweeper', seconds: 900, event: { chores: 'seldom' } },
  { name: 'exporter', seconds: 86_400 },
]
