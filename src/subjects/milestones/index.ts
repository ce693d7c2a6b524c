export { Milestone as MilestoneModel } from './milestone.model.ts'
export { presentMilestone } from './milestone.present.ts'
export {
  addToMilestoneCounters,
  countInMilestone,
  type CounterChange,
  findMilestone,
  findMilestoneTitled,
  listMilestoneIdsNamed,
  listMilestonesByIds,
  type Milestone,
} from './milestone.store.ts'
export type { Milestones } from './milestones.service.ts'
export { milestoneCounters, recountMilestones } from './milestone-counters.store.ts'
