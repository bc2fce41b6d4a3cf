# Licensed under the Apache License, Version 2.0: see the file LICENSE.
.PHONY: deps
deps: ## fetch what the Rust build needs (RocksDB, libclang) into build/deps
	@scripts/native-deps.sh
