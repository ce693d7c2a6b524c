import { Type } from '@sinclair/typebox'
import type { ScopeCategory } from '../../../core/access/viewer.ts'
import { type ApiResponse, text } from '../../../core/http/answer/answer.ts'
import { anyone } from '../../../core/http/guards/account.guards.ts'
import type { Guard } from '../../../core/http/guards/guard.ts'
import { defineOperation, type Operation } from '../../../core/http/operation.ts'
import { MarkdownOption, MarkupOption, RawText } from './markup.model.ts'
import type { Markup, MarkupRequest } from './markup.service.ts'

const Html = Type.String({ contentMediaType: 'text/html' })
const HTML = 'text/html; charset=utf-8'

/** The context of a text if the request has none, and the lookup of commits there. */
type TextContext = Pick<MarkupRequest, 'context' | 'findCommits'>

/** The location of rendered texts: without a context, or in a repository. */
export interface MarkupFamily<Access> {
  readonly prefix: '' | '/repos/{owner}/{repo}'
  readonly suffix: string
  readonly guard: Guard<Access>
  contextOf(access: Access): TextContext
}

interface MarkupOperationDeps {
  readonly markup: Markup
}

/** Operations that render texts without a repository. */
export const markupOperations = (deps: MarkupOperationDeps): Operation[] =>
  markupFamily(deps, { prefix: '', suffix: '', guard: anyone, contextOf: () => ({ context: '' }) })

/**
 * Rendering needs no credentials (behaviour/decisions#rendering-without-credentials): the size of texts is bounded, and
 * the rendering process bounds time and memory. A text that cannot be rendered is a validation error
 * (behaviour/base-interface#endpoints-of-the-base-interface).
 */
export function markupFamily<Access>(
  { markup }: MarkupOperationDeps,
  { prefix, suffix, guard, contextOf }: MarkupFamily<Access>,
): Operation[] {
  const scopes: ScopeCategory[] = prefix === '' ? [] : ['repository']
  const common = {
    method: 'POST',
    area: prefix === '' ? 'miscellaneous' : 'repository',
    guard,
    scopes,
    responses: { 200: Html },
    errors: [413, 422, 429],
    cost: 1,
  } as const
  const answer = async (
    access: Access,
    requested: string,
    request: Omit<MarkupRequest, 'context' | 'findCommits'>,
  ): Promise<ApiResponse> => {
    const own = contextOf(access)
    // Commits are looked up only for texts in this context.
    return text(
      await markup.render({
        ...request,
        ...(requested === '' || isBelow(requested, own.context) ? own : {}),
        context: requested || own.context,
      }),
      HTML,
    )
  }
  return [
    defineOperation({
      ...common,
      id: `renderMarkdown${suffix}`,
      path: `${prefix}/markdown`,
      summary: 'Render markdown to HTML',
      body: MarkdownOption,
      handler: ({ access, body, viewer, rateLimitKey }) =>
        answer(access, body.Context ?? '', {
          viewer,
          rateLimitKey,
          text: body.Text ?? '',
          mode: body.Mode ?? '',
          wiki: body.Wiki ?? false,
        }),
    }),
    defineOperation({
      ...common,
      id: `renderMarkdownRaw${suffix}`,
      path: `${prefix}/markdown/raw`,
      summary: 'Render markdown that is the body itself',
      body: RawText,
      bodyKind: 'text',
      handler: ({ access, body, viewer, rateLimitKey }) =>
        answer(access, '', { viewer, rateLimitKey, text: body.text, mode: '' }),
    }),
    defineOperation({
      ...common,
      id: `renderMarkup${suffix}`,
      path: `${prefix}/markup`,
      summary: 'Render a text by the extension of its file',
      body: MarkupOption,
      handler: ({ access, body, viewer, rateLimitKey }) =>
        answer(access, body.Context ?? '', {
          viewer,
          rateLimitKey,
          text: body.Text ?? '',
          mode: body.Mode ?? '',
          wiki: body.Wiki ?? false,
          filePath: body.FilePath ?? '',
        }),
    }),
  ]
}

const isBelow = (path: string, context: string): boolean =>
  context !== '' && `${path.toLowerCase()}/`.includes(`${context.toLowerCase()}/`)
