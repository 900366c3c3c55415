import type { Say } from '../../base/language/catalogue.ts'
import { inDevanagari, type Language, phrase } from '../../base/language/languages.ts'
import type { Point } from '../../engines/matching/index.ts'
import { type Html, html } from './html.ts'
import { border, towns } from './outline.ts'

/** Maps without foreign tiles: the place in a grid of degrees, towns around it, and the place on a small map of the country. */

const WIDTH = 400
const HEIGHT = 300
const KM_PER_DEGREE = 111.2
/** The possible widths of a map, in kilometres. The first width that shows a town is chosen. */
const widths = [14, 40, 120, 400] as const

type Shown = {
  point: Point
  /** Whether the true place is rounded for this reader. */
  isCoarse: boolean
  /** The places of linked things. Those within the map are drawn. */
  others: readonly Point[]
}
type Pixel = { x: number; y: number }

/** Draws a map around a thing, with linked things. A rounded place is drawn as a wide circle. */
export function mapOf({ point, isCoarse, others }: Shown, language: Language, say: Say): Html {
  const breadth = Math.cos((point.lat * Math.PI) / 180)
  const projection = (width: number) => {
    const scale = (WIDTH / width) * KM_PER_DEGREE
    return (it: Point): Pixel => ({
      x: WIDTH / 2 + (it.lng - point.lng) * breadth * scale,
      y: HEIGHT / 2 - (it.lat - point.lat) * scale,
    })
  }
  const fits = widths.filter((width) => !isCoarse || width >= 40)
  const width = fits.find((each) => towns.some((town) => isNear(projection(each)(town)))) ?? widths[0]
  const pixel = projection(width)
  const label = `${say(phrase('Map'))}: ${coordinatesText(point, language)}`
  const near = others.map(pixel).filter(isInside)
  return html`<svg class="map" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${label}">
${gridOf(point, width, pixel, language)}${near.map(({ x, y }) => html`<circle class="near" cx="${roundPixel(x)}" cy="${roundPixel(y)}" r="3"/>`)}
${townsOf(pixel, language)}${isCoarse && html`<circle class="about" cx="${WIDTH / 2}" cy="${HEIGHT / 2}" r="${roundPixel((5.6 * WIDTH) / width)}"/>`}
<circle class="here" cx="${WIDTH / 2}" cy="${HEIGHT / 2}" r="${isCoarse ? 5 : 8}"/>${scaleBar(width, language, say)}${isInCountry(point) && inset(point)}</svg>`
}

/** Degrees as readers write them. */
export function coordinatesText({ lat, lng }: Point, language: Language): string {
  const text = `${lat.toFixed(5).replace(/0+$/, '').replace(/\.$/, '')}, ${lng.toFixed(5).replace(/0+$/, '').replace(/\.$/, '')}`
  return language === 'ne' ? inDevanagari(text) : text
}

const roundPixel = (number: number) => Math.round(number * 10) / 10
const isInside = ({ x, y }: Pixel) => x > 8 && x < WIDTH - 8 && y > 8 && y < HEIGHT - 8
const isNear = ({ x, y }: Pixel) => x > 30 && x < WIDTH - 80 && y > 24 && y < HEIGHT - 40

function gridOf(point: Point, width: number, pixel: (it: Point) => Pixel, language: Language): Html[] {
  const step = [0.02, 0.05, 0.1, 0.2, 0.5, 1].find((each) => (each * KM_PER_DEGREE) / width > 0.18) ?? 1
  const around = (middle: number) => Array.from({ length: 13 }, (_, i) => (Math.round(middle / step) + i - 6) * step)
  const words = (degrees: number) => {
    const text = `${degreesText(degrees, step)}°`
    return language === 'ne' ? inDevanagari(text) : text
  }
  const columns = around(point.lng).flatMap((lng) => {
    const { x } = pixel({ lat: point.lat, lng })
    if (x < 0 || x > WIDTH) return []
    return [
      html`<path class="grid" d="M${roundPixel(x)} 0V${HEIGHT}"/>${x < WIDTH - 46 && html`<text class="faint" x="${roundPixel(x + 4)}" y="13">${words(lng)}</text>`}`,
    ]
  })
  const rows = around(point.lat).flatMap((lat) => {
    const { y } = pixel({ lat, lng: point.lng })
    if (y < 0 || y > HEIGHT) return []
    return [
      html`<path class="grid" d="M0 ${roundPixel(y)}H${WIDTH}"/>${y > 26 && y < HEIGHT - 44 && html`<text class="faint" x="4" y="${roundPixel(y - 4)}">${words(lat)}</text>`}`,
    ]
  })
  return [...columns, ...rows]
}

const degreesText = (degrees: number, step: number) => degrees.toFixed(step < 0.1 ? 2 : step < 1 ? 1 : 0)

/** The towns in sight. A town whose name would cover another name is left out. */
function townsOf(pixel: (it: Point) => Pixel, language: Language): Html[] {
  const taken: Pixel[] = []
  return towns.flatMap((town) => {
    const at = pixel(town)
    // The mark of the place itself stays free.
    if (Math.hypot(at.x - WIDTH / 2, at.y - HEIGHT / 2) < 14) return []
    if (!isInside(at) || at.y < 28 || at.x > WIDTH - 80 || isInsetAt(at)) return []
    if (taken.some(({ x, y }) => Math.abs(at.x - x) < 88 && Math.abs(at.y - y) < 20)) return []
    taken.push(at)
    return [
      html`<circle class="town" cx="${roundPixel(at.x)}" cy="${roundPixel(at.y)}" r="4"/><text x="${roundPixel(at.x + 8)}" y="${roundPixel(at.y + 5)}">${town[language]}</text>`,
    ]
  })
}

function scaleBar(width: number, language: Language, say: Say): Html {
  const km = Math.max(1, [1, 2, 5, 10, 20, 50, 100].findLast((each) => each <= width / 4) ?? 1)
  const end = 14 + (km * WIDTH) / width
  const figure = language === 'ne' ? inDevanagari(String(km)) : String(km)
  return html`<path class="bar" d="M14 ${HEIGHT - 20}v6H${roundPixel(end)}v-6"/><text class="faint" x="18" y="${HEIGHT - 19}">${figure} ${say(phrase('km'))}</text>`
}

const isInCountry = ({ lat, lng }: Point) => lat > 26.2 && lat < 30.6 && lng > 79.9 && lng < 88.4
const INSET = { x: WIDTH - 124, y: HEIGHT - 72 }
const isInsetAt = ({ x, y }: Pixel) => x > INSET.x - 80 && y > INSET.y - 12

/** Where in the country the place is. */
function inset(point: Point): Html {
  const scale = 13.5
  const at = ({ lat, lng }: Point) => ({
    x: roundPixel(INSET.x + 6 + (lng - 80) * scale),
    y: roundPixel(INSET.y + 6 + (30.5 - lat) * scale * 1.13),
  })
  const line = border.map(([lng, lat]) => at({ lat, lng })).map(({ x, y }) => `${x} ${y}`)
  const { x, y } = at(point)
  return html`<path class="land" d="M${line.join('L')}Z"/><circle class="here" cx="${x}" cy="${y}" r="5"/>`
}
