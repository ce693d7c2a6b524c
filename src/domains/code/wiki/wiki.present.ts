import type { RepoUrls } from '../../../core/access/repo-urls.ts'
import type { Commit } from '../../../core/git/index.ts'
import { presentCommitUser } from '../history/commit.present.ts'
import type { WikiPageMeta, WikiPageView } from './pages.ts'
import type { WikiCommit, WikiPage, WikiPageMetaData } from './wiki.model.ts'

export const presentWikiCommit = (commit: Commit): WikiCommit => ({
  sha: commit.oid,
  author: presentCommitUser(commit.author),
  commiter: presentCommitUser(commit.committer),
  message: commit.message,
})

export function presentWikiMeta({ title, subUrl, lastCommit }: WikiPageMeta, urls: RepoUrls): WikiPageMetaData {
  return { title, html_url: `${urls.html}/wiki/${subUrl}`, sub_url: subUrl, last_commit: presentWikiCommit(lastCommit) }
}

export function presentWikiPage(view: WikiPageView, urls: RepoUrls): WikiPage {
  return {
    ...presentWikiMeta(view, urls),
    content_base64: view.content.toString('base64'),
    commit_count: view.commitCount,
    sidebar: view.sidebar.toString('base64'),
    footer: view.footer.toString('base64'),
  }
}
