/** What the first page takes, as one part that is loaded when somebody asks for it. */
export { pageContext } from './context.ts'
export { homePage, loadHome } from './home.ts'
export { pageHeaders } from './style.ts'
