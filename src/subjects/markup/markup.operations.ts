import { Type } from '@sinclair/typebox'
import { AccessMode } from '../../access/access-mode.ts'
import { unitMode } from '../../access/repo-access.ts'
import type { ScopeCategory } from '../../access/scopes.ts'
import type { AreaDeps } from '../../app/deps.ts'
import { type Answer, text } from '../../http/answer.ts'
import { anyone } from '../../http/guards/account.guards.ts'
import type { Guard } from '../../http/guards/guard.ts'
import { defineOperation, type Operation } from '../../http/operation.ts'
import { MarkdownOption, MarkupOption, RawText } from './markup.model.ts'
import type { MarkupRequest } from './markup.service.ts'

const Html = Type.String({ contentMediaType: 'text/html' })
const HTML = 'text/html; charset=utf-8'

/** What a text belongs to when the request does not say, and what can be looked up there. */
type Place = Pick<MarkupRequest, 'context' | 'findCommits'>

interface Family<Access> {
  readonly prefix: '' | '/repos/{owner}/{repo}'
  readonly suffix: string
  readonly guard: Guard<Access>
  place(access: Access): Place
}

/**
 * Rendering for whoever asks (RULINGS): bounded in size by the body limit, in time by the renderer's thread. What
 * cannot be rendered is a validation error as the seed's base table has it; other servers say the same in plain text.
 */
export function markupOperations(deps: Pick<AreaDeps, 'code' | 'guards' | 'markup'>): Operation[] {
  const { code, guards } = deps
  return [
    ...family(deps, { prefix: '', suffix: '', guard: anyone, place: () => ({ context: '' }) }),
    ...family(deps, {
      prefix: '/repos/{owner}/{repo}',
      suffix: 'InRepo',
      guard: guards.repo('see'),
      place: ({ repo, access }) => ({
        context: `/${repo.fullName}`,
        findCommits:
          unitMode(access, 'repo.code') >= AccessMode.read ? (ids) => code.commits.known(repo, ids) : undefined,
      }),
    }),
  ]
}

function family<Access>(
  { markup }: Pick<AreaDeps, 'markup'>,
  { prefix, suffix, guard, place }: Family<Access>,
): Operation[] {
  const scopes: ScopeCategory[] = prefix === '' ? [] : ['repository']
  const common = {
    method: 'POST',
    area: prefix === '' ? 'miscellaneous' : 'repository',
    guard,
    scopes,
    responses: { 200: Html },
    errors: [422],
  } as const
  const answer = async (
    access: Access,
    given: string,
    request: Omit<MarkupRequest, 'context' | 'findCommits'>,
  ): Promise<Answer> => {
    const own = place(access)
    // A text that says it belongs elsewhere is not looked up here.
    return text(
      await markup.render({
        ...request,
        ...(given === '' || isBelow(given, own.context) ? own : {}),
        context: given || own.context,
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
      handler: ({ access, body, viewer }) =>
        answer(access, body.Context ?? '', {
          viewer,
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
      handler: ({ access, body, viewer }) => answer(access, '', { viewer, text: body.text, mode: '' }),
    }),
    defineOperation({
      ...common,
      id: `renderMarkup${suffix}`,
      path: `${prefix}/markup`,
      summary: 'Render a text by the extension of its file',
      body: MarkupOption,
      handler: ({ access, body, viewer }) =>
        answer(access, body.Context ?? '', {
          viewer,
          text: body.Text ?? '',
          mode: body.Mode ?? '',
          wiki: body.Wiki ?? false,
          filePath: body.FilePath ?? '',
        }),
    }),
  ]
}

const isBelow = (given: string, context: string): boolean =>
  context !== '' && `${given.toLowerCase()}/`.includes(`${context.toLowerCase()}/`)
