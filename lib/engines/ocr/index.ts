// Text of images and PDFs.

export { parseLanguages, readImageText, UnreadableFile } from './engine.ts'
export { readPdfText } from './pdf-text.ts'

// Pages of a PDF as pixels.

export { readPdfPages } from './pdf-pages.ts'
