import { presentablePermissions } from '../../../../core/access/repo-access.ts'
import { jsonList, type RawJson, JsonCache } from '../../../../core/http/answer/json-cache.ts'
import type { Site } from '../../../../core/platform/site.ts'
import type { RepoView } from '../lookup.ts'
import { presentRepo } from '../repo.present.ts'
import type { Repo } from '../repo.store.ts'

export type RepoListJson = (views: readonly RepoView[]) => RawJson

/** Lists of repositories as JSON. Presenting and writing fifty took half of the time of a request. */
export function createRepoListJson(site: Site): RepoListJson {
  const cache = new JsonCache<Repo>()
  const textOf = (view: RepoView): string => {
    const write = () => JSON.stringify(presentRepo(view, site))
    if (view.parent ?? view.transfer ?? view.mirror) return write()
    const { admin, push, pull } = presentablePermissions(view.access)
    return cache.textOf(view.repo, `${admin} ${push} ${pull} ${site.rootUrl()} ${site.sshPrefix()}`, write)
  }
  return (views) => jsonList(views.map(textOf))
}
