export type { KeptPages } from './kept-pages.ts'
