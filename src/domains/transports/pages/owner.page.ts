import type { Services } from '../../../core/module.ts'
import { isHttpUrl, safeHtml } from '../../../core/platform/html.ts'
import type { Site } from '../../../core/platform/site.ts'
import { userPresenters } from '../../accounts/index.ts'
import { repoList } from './pages.page.ts'
import { NOTHING, pager, when, type PageMaker } from './layout.ts'

export interface OwnerDeps {
  readonly repos: Pick<Services['repos'], 'list'>
  readonly users: Pick<Services['users'], 'getInView'>
  readonly settings: { readonly exploreNeedsSignIn: boolean }
}

const ROWS = 30
/** Ids of the accounts without a row, and their descriptions. */
const VIRTUAL: readonly (readonly [id: number, text: string])[] = [
  [-1, 'Stands for deleted accounts.'],
  [-2, 'Stands for the jobs of workflows.'],
]

/** The pages of accounts without a row, by name. */
export const virtualOwnerPages = (site: Site): Readonly<Record<string, PageMaker>> =>
  Object.fromEntries(
    VIRTUAL.map(([id, text]) => {
      const title = userPresenters.presentVirtualById(id, site)!.login
      return [title, () => Promise.resolve({ title, body: safeHtml`<h1>${title}</h1>\n<p>${text}</p>` })]
    }),
  )

/** `/{owner}`: a user or organization with the repositories that the viewer may see. */
export const ownerPage =
  ({ repos, users, settings }: OwnerDeps): PageMaker =>
  async (context) => {
    const { viewer, params } = context
    const owner = await users.getInView(viewer, params.owner)
    const isListed = viewer.kind === 'user' || !settings.exploreNeedsSignIn
    const paging = context.paging(ROWS)
    const order = { by: 'updated', direction: 'desc' } as const
    const page = isListed ? await repos.list(viewer, { filter: { ownerId: owner.id }, order }, paging) : undefined
    const website = isHttpUrl(owner.website)
      ? safeHtml`<a href="${owner.website}" rel="nofollow noopener">${owner.website}</a>`
      : safeHtml`${owner.website}`
    return {
      title: owner.name,
      feed: `${context.base}/${owner.name}.atom`,
      body: safeHtml`<h1>${owner.name}</h1>
<p><small>${owner.kind === 'organization' ? 'Organization' : 'User'}</small>${when(owner.fullName, (name) => safeHtml` ${name}`)}</p>
${when(owner.description, (text) => safeHtml`<p>${text}</p>`)}
${when(owner.location, (text) => safeHtml`<p>${text}</p>`)}
${when(owner.website, () => safeHtml`<p>${website}</p>`)}
${page === undefined ? NOTHING : safeHtml`<h2>Repositories</h2>\n${repoList(context, page.items)}\n${pager(paging, page.total)}`}`,
    }
  }
