import type { Services } from '../../../core/module.ts'
import { Html, safeHtml } from '../../../core/platform/html.ts'
import { AccessMode } from '../../../core/access/repo-access.ts'
import { errors } from '../../errors.ts'
import { parseRepoSettings } from '../../repositories/index.ts'
import { wikiMode } from '../../code/index.ts'
import type { Texts } from './texts.service.ts'
import { authorizePage, type PageMaker, repoHeading } from './layout.ts'

interface WikiPageDeps {
  readonly repos: Pick<Services['repos'], 'authorize'>
  readonly wikis: Services['wikis']
  readonly texts: Texts
}

/** `/{owner}/{repo}/wiki/{page}`. */
export const wikiPage =
  (deps: WikiPageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context)
    const { repo, access } = target
    const { globallyEditableWiki: isGloballyEditable } = parseRepoSettings(repo.settings)
    if (wikiMode(context.viewer, { units: repo.units, access, isGloballyEditable }) < AccessMode.read)
      throw errors.wikiNotReadable()
    const { title, content } = await deps.wikis.pages.get(repo, context.params.rest || 'Home')
    const text = content.toString('utf8')
    const { requester } = context
    const html = await deps.texts.render({
      text,
      name: `${title}.md`,
      context: `/${repo.fullName}`,
      wiki: true,
      requester,
    })
    return {
      title: `${title} · ${repo.fullName}`,
      body: safeHtml`${repoHeading(context, target, safeHtml`${title}`)}
<article>${html === undefined ? safeHtml`<pre class="log">${text}</pre>` : new Html(html)}</article>`,
    }
  }
