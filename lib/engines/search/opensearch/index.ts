// The engine that asks an OpenSearch server: the entry for questions. The code that writes to the server is in feed.ts and upkeep.ts, so
// that no question reaches a write.

export { check } from './check.ts'
export { serverModel } from './model.ts'
