// Package drivers has no code: the packages below it register the backends of
// this module with lock.Open, each for itself, so that a program contains only
// what it imports.
//
//	redis             redis, rediss, redlock
//	zk                zk
//	etcd              etcd
//	consul            consul
//	sqlite            sqlite
//	postgres          postgres
//	mysql             mysql
//	embedded/redis    embedded:redis, and so on for zk, etcd, consul and sqlite
//
// What belongs here: making a client and a lock of a URL. What does not: any lock.
package drivers
