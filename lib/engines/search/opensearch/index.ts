// The engine that asks a server of OpenSearch, for those who ask questions. What writes to the server stands in feed.ts and upkeep.ts, so
// that no question reaches a write.

export { check } from './check.ts'
export { serverModel } from './model.ts'
