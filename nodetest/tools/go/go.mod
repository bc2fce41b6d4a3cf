// Applications whose own tests `make test-tools` runs; see scripts/tool-programs.sh.
module io.cassiterite/tools

go 1.26

require go.temporal.io/server v1.29.1
