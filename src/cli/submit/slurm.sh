#!/bin/sh
# Slurm: an array with a task for each shard, and a job that merges them when the last has ended. Whatever becomes of the
# shards, the merge runs and tells what is missing. Of two options that say the same, Slurm takes the last.
set -e
job=$(sbatch --parsable <<'END_OF_JOB'
#!/bin/sh
#SBATCH --job-name=@name@
#SBATCH --array=@shards@
#SBATCH --cpus-per-task=@threads@
#SBATCH --requeue
#SBATCH --open-mode=append
#SBATCH --output=@logs@/shard-%a.log
@options@
@commands@
exec @program@ run --shard $SLURM_ARRAY_TASK_ID/@of@ --out @out@ --threads @threads@ --quiet
END_OF_JOB
)
echo "$job"
sbatch --parsable --dependency="afterany:${job%%;*}" <<'END_OF_JOB'
#!/bin/sh
#SBATCH --job-name=@name@-merge
#SBATCH --open-mode=append
#SBATCH --output=@logs@/merge.log
@options@
@commands@
exec @program@ merge @out@
END_OF_JOB
