export { markupFamily } from './markup.operations.ts'
export type { Markup } from './markup.service.ts'
export { escapeHtml } from './references/references.ts'
export { FULL_REFERENCE, MENTION, SHORT_REFERENCE } from './references/reference-patterns.ts'
