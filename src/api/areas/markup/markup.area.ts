import { Type } from '@sinclair/typebox'
import { MarkdownOption, MarkupOption, RawText } from '../../../contract/options/markup.ts'
import type { MarkupRequest } from '../../../domain/markup/index.ts'
import type { ScopeCategory } from '../../../policy/scopes.ts'
import { text, type Answer } from '../../answer.ts'
import { anyone } from '../../guards/account.guards.ts'
import type { Guard } from '../../guards/guard.ts'
import { defineOperation, type Operation } from '../../operation.ts'
import type { AreaDeps } from '../deps.ts'

const Html = Type.String({ contentMediaType: 'text/html' })
const HTML = 'text/html; charset=utf-8'

/**
 * Rendering for whoever asks (RULINGS): bounded in size by the body limit, in time by the renderer's thread. What cannot be
 * rendered is a validation error as the seed's base table has it; other servers say the same in plain text.
 */
export function markupOperations({ guards, markup }: Pick<AreaDeps, 'guards' | 'markup'>): Operation[] {
  const answer = async (request: MarkupRequest): Promise<Answer> => text(await markup.render(request), HTML)
  const operations = <Access>(prefix: string, suffix: string, guard: Guard<Access>, context: (params: Readonly<Record<string, string>>) => string): Operation[] => {
    const scopes: ScopeCategory[] = prefix === '' ? [] : ['repository']
    const common = { method: 'POST', area: prefix === '' ? 'miscellaneous' : 'repository', guard, scopes, responses: { 200: Html }, errors: [422] } as const
    const place = (given: string | undefined, params: Readonly<Record<string, string>>): string => given || context(params)
    return [
      defineOperation({
        ...common,
        id: `renderMarkdown${suffix}`,
        path: `${prefix}/markdown`,
        summary: 'Render markdown to HTML',
        body: MarkdownOption,
        handler: ({ body, params, viewer }) => answer({ viewer, text: body.Text ?? '', mode: body.Mode ?? '', context: place(body.Context, params), wiki: body.Wiki ?? false }),
      }),
      defineOperation({
        ...common,
        id: `renderMarkdownRaw${suffix}`,
        path: `${prefix}/markdown/raw`,
        summary: 'Render markdown that is the body itself',
        body: RawText,
        bodyKind: 'text',
        handler: ({ body, params, viewer }) => answer({ viewer, text: body.text, mode: '', context: context(params) }),
      }),
      defineOperation({
        ...common,
        id: `renderMarkup${suffix}`,
        path: `${prefix}/markup`,
        summary: 'Render a text by the extension of its file',
        body: MarkupOption,
        handler: ({ body, params, viewer }) =>
          answer({ viewer, text: body.Text ?? '', mode: body.Mode ?? '', context: place(body.Context, params), wiki: body.Wiki ?? false, filePath: body.FilePath ?? '' }),
      }),
    ]
  }
  return [
    ...operations('', '', anyone, () => ''),
    ...operations('/repos/{owner}/{repo}', 'InRepo', guards.repo('see'), ({ owner, repo }) => `/${owner}/${repo}`),
  ]
}
