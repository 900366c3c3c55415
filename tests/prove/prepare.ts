import { buildDocument } from '../../local/deploy/built-document.ts'

/** What must be there before anything of the world is loaded. */
await buildDocument(process.cwd())
