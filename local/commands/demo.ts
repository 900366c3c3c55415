import { project } from './demo/project.ts'

/** `npm run demo -- project [BASE]`: shows the running service at work, through its public API only. */
const shows: Readonly<Record<string, (base: string) => Promise<void>>> = { project }

const [name = '', base = `http://localhost:${process.env.PORT ?? 8000}`] = process.argv.slice(2)
const show = shows[name]
if (!show) {
  console.error(`There is no demonstration of this name. There are: ${Object.keys(shows).join(', ')}.`)
  process.exit(2)
}
try {
  await fetch(`${base}/health/`).catch(() => {
    throw new Error(`Nothing answers at ${base}. Start it with npm start.`)
  })
  await show(base)
} catch (error) {
  console.error(error instanceof Error ? error.message : error)
  process.exit(1)
}
