import { invalid, invalidField } from '../../../platform/errors.ts'
import { repoNameProblem } from '../../users/index.ts'

/** The name rules of repositories (reference auth-and-access §19). */
export function requireRepoName(name: string, field = 'Name'): void {
  const problem = repoNameProblem(name)
  if (problem !== undefined) throw 'rule' in problem ? invalidField(field, problem.rule) : invalid(problem.message)
}
