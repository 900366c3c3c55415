/** What the first page needs, as one module that is loaded with the first request for it. */
export { pageContext } from './context.ts'
export { homePage, loadHome } from './home.ts'
export { pageHeaders } from './style.ts'
