# make demo     compiles three ciphers for this CPU, checks them, compares with OpenSSL, prints what they cost
# make test     everything that CI runs
# make full     the same with the long matrices: 50,000 random programs, every cipher × slicing × target × compiler
# make lint     formatting, Clippy, licences: a part of both

.PHONY: demo test full lint tools

demo:
	@tools/demo.sh

test:
	@tools/test.sh

full:
	@NAKIRI_FULL=1 tools/test.sh

lint:
	@tools/lint.sh

tools:
	@tools/install.sh
