import type { Core, Services } from '../../../../core/module.ts'
import { safeHtml } from '../../../../core/platform/html.ts'
import { MovedError } from '../../../../core/platform/errors.ts'
import { issuePresenters, issueQueries } from '../../../issues/index.ts'
import { authorizePage, numberOf, type PageMaker, repoHeading } from '../layout.ts'
import { discussion, type DiscussionDeps, facts } from './discussion.ts'

interface IssuePageDeps extends DiscussionDeps, Pick<Core, 'database'> {
  readonly issues: Pick<Services['issues'], 'view'>
  readonly repos: Pick<Services['repos'], 'authorize'>
}

/**
 * `/{owner}/{repo}/issues/{index}`. The number of a pull request redirects to its own address, because in the API both
 * share one series of numbers.
 */
export const issuePage =
  (deps: IssuePageDeps): PageMaker =>
  async (context) => {
    const target = await authorizePage(deps, context)
    const { repo } = target
    const { number } = numberOf(context)
    const issue = await issueQueries.getReadable(deps.database.read, context.viewer, target, number)
    const address = `${repo.fullName}/issues/${number}`
    if (issue.isPull) throw new MovedError('issue', address, `${repo.fullName}/pulls/${number}`)
    await authorizePage(deps, context, { unit: 'repo.issues' })
    const shown = issuePresenters.present(
      await deps.issues.view(context.viewer, repo, issue),
      context.viewer,
      deps.site,
    )
    return {
      title: `${shown.title} · ${repo.fullName}#${number}`,
      body: safeHtml`${repoHeading(context, target, safeHtml`${shown.title} #${number}`)}
${facts(context, shown, [['State', safeHtml`${shown.state}`]])}
${await discussion(deps, context, { ...target, issue }, shown)}`,
    }
  }
