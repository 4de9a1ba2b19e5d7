package lua

import _ "embed" // for the directives below

var (
	//go:embed acquire.lua
	acquire string
	//go:embed fair_acquire.lua
	fairAcquire string
	//go:embed fair_release.lua
	fairRelease string
	//go:embed hold_renew.lua
	holdRenew string
	//go:embed latch_count.lua
	latchCount string
	//go:embed latch_look.lua
	latchLook string
	//go:embed latch_set.lua
	latchSet string
	//go:embed reentrant_acquire.lua
	reentrantAcquire string
	//go:embed reentrant_release.lua
	reentrantRelease string
	//go:embed reentrant_renew.lua
	reentrantRenew string
	//go:embed release.lua
	release string
	//go:embed renew.lua
	renew string
	//go:embed rw_acquire.lua
	rwAcquire string
	//go:embed rw_release.lua
	rwRelease string
	//go:embed semaphore_acquire.lua
	semaphoreAcquire string
	//go:embed semaphore_release.lua
	semaphoreRelease string
)

// The scripts. Each file says what its keys, arguments and answers are.
var (
	Acquire          = newScript("acquire.lua", acquire)
	FairAcquire      = newScript("fair_acquire.lua", fairAcquire)
	FairRelease      = newScript("fair_release.lua", fairRelease)
	HoldRenew        = newScript("hold_renew.lua", holdRenew)
	LatchCount       = newScript("latch_count.lua", latchCount)
	LatchLook        = newScript("latch_look.lua", latchLook)
	LatchSet         = newScript("latch_set.lua", latchSet)
	ReentrantAcquire = newScript("reentrant_acquire.lua", reentrantAcquire)
	ReentrantRelease = newScript("reentrant_release.lua", reentrantRelease)
	ReentrantRenew   = newScript("reentrant_renew.lua", reentrantRenew)
	Release          = newScript("release.lua", release)
	Renew            = newScript("renew.lua", renew)
	RWAcquire        = newScript("rw_acquire.lua", rwAcquire)
	RWRelease        = newScript("rw_release.lua", rwRelease)
	SemaphoreAcquire = newScript("semaphore_acquire.lua", semaphoreAcquire)
	SemaphoreRelease = newScript("semaphore_release.lua", semaphoreRelease)
)

// All returns every script, in the order of their names.
func All() []*Script {
	return []*Script{
		Acquire,
		FairAcquire,
		FairRelease,
		HoldRenew,
		LatchCount,
		LatchLook,
		LatchSet,
		ReentrantAcquire,
		ReentrantRelease,
		ReentrantRenew,
		Release,
		Renew,
		RWAcquire,
		RWRelease,
		SemaphoreAcquire,
		SemaphoreRelease,
	}
}
