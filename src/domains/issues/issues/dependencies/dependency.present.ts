import { ZERO_TIME } from '../../../../core/platform/clock.ts'
import type { HiddenIssue } from './dependencies.service.ts'
import type { IssueDependency } from './dependency.model.ts'

/**
 * An issue that the caller may not read: writers of the dependent issue see its number, title, state and repository,
 * others and tokens with restrictions only that there is one (behaviour/issues#dependencies-and-blocks).
 */
export function presentHidden({ issue, repo }: HiddenIssue, seesParts: boolean): IssueDependency {
  return {
    id: 0,
    url: '',
    html_url: '',
    number: seesParts ? issue.number : 0,
    user: null,
    original_author: '',
    original_author_id: 0,
    title: seesParts ? issue.title : 'HIDDEN',
    body: '',
    ref: '',
    assets: [],
    labels: [],
    milestone: null,
    assignee: null,
    assignees: null,
    state: seesParts && issue.isClosed ? 'closed' : 'open',
    is_locked: false,
    comments: 0,
    created_at: ZERO_TIME,
    updated_at: ZERO_TIME,
    closed_at: null,
    due_date: null,
    pull_request: null,
    repository: seesParts
      ? { id: repo.id, name: repo.name, owner: repo.owner.name, full_name: repo.fullName }
      : { id: 0, name: '', owner: '', full_name: '' },
    pin_order: 0,
    content_version: 0,
    time_estimate: 0,
  }
}
