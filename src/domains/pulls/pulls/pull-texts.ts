import type { Viewer } from '../../../core/access/viewer.ts'
import { jsonArray, jsonObject, JsonText } from '../../../core/http/answer/json-text.ts'
import type { Site } from '../../../core/platform/site.ts'
import { presentIssues } from '../../issues/index.ts'
import type { RepoTexts } from '../../repositories/index.ts'
import { presentWithoutRepos, repoOfHead } from './pull.present.ts'
import type { PullView } from './pull-views.ts'

/** Pull requests as JSON, as `presentPull` makes them. */
export type PullTexts = ReturnType<typeof createPullTexts>

/** NOTE: two repositories are most of a pull request, and a list shows the same ones again and again. */
export function createPullTexts({ repoTexts, site }: { repoTexts: RepoTexts; site: Site }) {
  const textsOf = (views: readonly PullView[], viewer: Viewer): string[] => {
    const issues = presentIssues(
      views.map((view) => view.issue),
      viewer,
      site,
    )
    return views.map((view, position) => {
      const { base, head, ...rest } = presentWithoutRepos(view, issues[position]!, { viewer, site })
      const headRepo = repoOfHead(view)
      return jsonObject(rest, {
        base: jsonObject(base, { repo: repoTexts.of(view.base) }),
        head: jsonObject(head, { repo: headRepo ? repoTexts.of(headRepo) : 'null' }),
      })
    })
  }
  return {
    one: (view: PullView, viewer: Viewer): JsonText => new JsonText(textsOf([view], viewer)[0]!),
    list: (views: readonly PullView[], viewer: Viewer): JsonText => jsonArray(textsOf(views, viewer)),
  }
}
