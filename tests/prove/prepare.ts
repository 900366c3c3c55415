import { buildDocuments } from '../../deploy/packages/shipped-documents.ts'

/** What must be there before anything of the world is loaded. */
await buildDocuments(process.cwd())
