export { markupFamily } from './markup.operations.ts'
export type { Markup } from './markup.service.ts'
