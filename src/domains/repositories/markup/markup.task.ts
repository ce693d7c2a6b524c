import { findReferenced, type Referenced } from './references/references.ts'
import { render, type RenderInput } from './render.ts'

/** A text to render, or a text to search for mentions and commit ids. */
export type MarkupInput =
  { readonly kind: 'render'; readonly input: RenderInput } | { readonly kind: 'find'; readonly text: string }

/** Runs in a child process; see `createMarkup`. */
export const createTask =
  () =>
  (task: MarkupInput): string | Referenced =>
    task.kind === 'render' ? render(task.input) : findReferenced(task.text)
